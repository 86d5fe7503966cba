package dev.weft.hca.verbs;

/** Access rights of a memory region or a queue pair; bits as in {@code ibv_access_flags}. */
public final class Access {
  public static final int LOCAL_WRITE = 1;
  public static final int REMOTE_WRITE = 1 << 1;
  public static final int REMOTE_READ = 1 << 2;
  public static final int REMOTE_ATOMIC = 1 << 3;
  /** Allows binding memory windows to the region. */
  public static final int MW_BIND = 1 << 4;
  /** The addresses of the region or window start at 0. */
  public static final int ZERO_BASED = 1 << 5;
  /** The memory is not pinned: it is the host's virtual memory, or the operating system manages it. As IBV_ACCESS_ON_DEMAND. */
  public static final int ON_DEMAND = 1 << 6;
  /** Allows the peer to make its writes visible to all threads and devices: {@link WorkRequest#flush}. */
  public static final int FLUSH_GLOBAL = 1 << 8;
  /** Allows the peer to make its writes survive a loss of power. Only memory that is mapped from a file can grant it. */
  public static final int FLUSH_PERSISTENT = 1 << 9;
  /** Bits that a provider may ignore, such as IBV_ACCESS_RELAXED_ORDERING. This one ignores them. */
  public static final int OPTIONAL = 0x3ff00000;
  /** All rights that a region may grant: those above. */
  public static final int REGION = 0x37f | OPTIONAL;
  /** All kinds of local and remote access, except flushes. */
  public static final int ALL = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC;

  /** All rights that a queue pair may grant. */
  public static final int QP = ALL | FLUSH_GLOBAL | FLUSH_PERSISTENT;

  private Access() {}

  /** Returns the names of the rights. */
  public static String describe(int access) {
    StringBuilder text = new StringBuilder();
    append(text, access, LOCAL_WRITE, "LOCAL_WRITE");
    append(text, access, REMOTE_WRITE, "REMOTE_WRITE");
    append(text, access, REMOTE_READ, "REMOTE_READ");
    append(text, access, REMOTE_ATOMIC, "REMOTE_ATOMIC");
    append(text, access, MW_BIND, "MW_BIND");
    append(text, access, ZERO_BASED, "ZERO_BASED");
    append(text, access, ON_DEMAND, "ON_DEMAND");
    append(text, access, FLUSH_GLOBAL, "FLUSH_GLOBAL");
    append(text, access, FLUSH_PERSISTENT, "FLUSH_PERSISTENT");
    return text.isEmpty() ? "LOCAL_READ" : text.toString();
  }

  private static void append(StringBuilder text, int access, int bit, String name) {
    if ((access & bit) != 0) {
      text.append(text.isEmpty() ? "" : "|").append(name);
    }
  }
}
