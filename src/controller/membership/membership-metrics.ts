/** Metrics hooks of one `membership$`. */
export interface MembershipMetrics {
  /**
   * How many replicas of the group are alive, as far as this one knows: at the start, on each
   * change, and 0 at the end.
   */
  members(count: number): void;
  /**
   * How many of the 1024 slots this replica owns: at the start, on each change, and 0 at the end.
   */
  ownedSlots(count: number): void;
  /**
   * A request for the Lease of this replica failed. Conflicts that are part of the protocol do not
   * count.
   */
  renewalFailed(): void;
}

export const noMembershipMetrics: MembershipMetrics = {
  members: () => undefined,
  ownedSlots: () => undefined,
  renewalFailed: () => undefined,
};
