/** Returns the peak memory of this process, in megabytes, as the operating system counts it. */
export function peakMemory(): number {
  return process.resourceUsage().maxRSS / 1024;
}
