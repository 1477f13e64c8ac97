/** What a leader election tells whoever measures it; the names beside are those of client-go's metrics. */
export interface LeaderElectionMetrics {
  /** Whether this replica leads (`leader_election_master_status`): told at the start, on each change, and at the end where it led. */
  leading(isLeading: boolean): void;
  /** A renewal without a read failed, so the lease is read first (`leader_election_slowpath_total`). */
  slowPath(): void;
}
