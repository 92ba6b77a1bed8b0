const at = "2026-11-20T10:00:00.000Z";
const group = { name: "staff", createdAt: at };

/** An example of each answer about groups and metadata. */
export const groupExamples = {
  Group: group,
  GroupDetails: { ...group, members: 12 },
  Groups: { groups: [group] },
  GroupMembers: {
    members: [{ id: "usr_01m839jdtaq0r4v6x8z2b4d6f8", email: "ada@example.com", name: "Ada", addedAt: at }],
    nextCursor: null,
  },
  GroupsOfUser: { groups: ["staff"] },
  Metadata: { public: { plan: "pro" }, private: { customer: 4711 } },
};
