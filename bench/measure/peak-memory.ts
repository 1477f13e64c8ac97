/** The most memory that this process ever held, in megabytes, as the operating system counts it. */
export function peakMemory(): number {
  return process.resourceUsage().maxRSS / 1024;
}
