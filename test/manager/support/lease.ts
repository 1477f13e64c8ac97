/** The Lease that the replicas of these tests compete for. */
export const lease = { namespace: 'default', name: 'operator' };
