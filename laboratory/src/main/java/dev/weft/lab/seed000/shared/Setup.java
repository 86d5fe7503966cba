package dev.weft.lab.seed000.shared;

import dev.weft.hca.node.RoleContext;

/**
 * What runs, on what, and how.
 *
 * @param application its name
 * @param size of its sizes
 * @param hosts 1 to 64
 * @param threads of each host, so that there are at most 64
 * @param system how messages are handled
 * @param hogs processes that always compute, on each host, 0 to 16
 * @param computing how long computing takes, of what it is said to take
 */
public record Setup(String application, String size, int hosts, int threads, Kind system, int hogs, double computing) {
  private static final int WORKERS_MAX = 64;
  private static final int HOGS_MAX = 16;

  /**
   * How messages are handled.
   *
   * @param context who runs the protocol
   * @param isUserLevel protection by the operating system, and a system call for what needs one, as the paper simulates the user level
   * @param polls whether threads that wait poll, so that completions do not interrupt
   * @param readsByRdma whether readers fetch by RDMA Read what nobody writes
   * @param isCentralized whether the first host is home of everything; else homes are spread, each host that of what it writes first
   */
  public record Kind(RoleContext context, boolean isUserLevel, boolean polls, boolean readsByRdma, boolean isCentralized) {
    /** The paper's kernel implementation. */
    public static final Kind KERNEL = new Kind(RoleContext.ISR, false, false, false, false);
    /** The paper's simulation of the user level. */
    public static final Kind USER_LEVEL = new Kind(RoleContext.PROCESS, true, false, false, false);
    /** The kernel implementation in a task queue. */
    public static final Kind TASK_QUEUE = new Kind(RoleContext.TASK_QUEUE, false, false, false, false);
    /** The kernel implementation with selective polling. */
    public static final Kind POLLING = new Kind(RoleContext.ISR, false, true, false, false);
    /** The kernel implementation with one home. */
    public static final Kind CENTRALIZED = new Kind(RoleContext.ISR, false, false, false, true);
    /** The same with RDMA Read. */
    public static final Kind RDMA_READ = new Kind(RoleContext.ISR, false, false, true, true);
  }

  public Setup {
    if (hosts < 1 || threads < 1 || (long) hosts * threads > WORKERS_MAX) {
      throw new IllegalArgumentException(hosts + " hosts of " + threads + " threads, must be 1 to " + WORKERS_MAX + " threads together");
    }
    if (hogs < 0 || hogs > HOGS_MAX) {
      throw new IllegalArgumentException(hogs + " hogs, must be from 0 to " + HOGS_MAX);
    }
    if (!(computing > 0) || !Double.isFinite(computing)) {
      throw new IllegalArgumentException("computing takes " + computing + " times as long, must be more than 0");
    }
  }

  /** The kernel implementation, without load. */
  public static Setup of(String application, String size, int hosts, int threads) {
    return new Setup(application, size, hosts, threads, Kind.KERNEL, 0, 1);
  }

  /** The same with messages handled in another way. */
  public Setup with(Kind other) {
    return new Setup(application, size, hosts, threads, other, hogs, computing);
  }

  /** The same with so many hogs on each host. */
  public Setup loaded(int count) {
    return new Setup(application, size, hosts, threads, system, count, computing);
  }

  /** The same with computing that takes so many times as long. */
  public Setup computing(double factor) {
    return new Setup(application, size, hosts, threads, system, hogs, factor);
  }
}
