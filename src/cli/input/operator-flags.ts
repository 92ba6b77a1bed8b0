/** For `asks`: the flag, its meaning, and the question for a person. */
export const roleFlag = [
  "--role <role>",
  "viewer sees; support helps people; owner does everything",
  "Role: viewer, support or owner",
] as const;
