/** For `asks`: the flag, what it means, and the question to a person. */
export const roleFlag = [
  "--role <role>",
  "viewer sees; support helps people; owner does everything",
  "Role: viewer, support or owner",
] as const;
