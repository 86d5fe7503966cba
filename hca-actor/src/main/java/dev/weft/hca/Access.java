package dev.weft.hca;

/** Access rights of a memory region or a queue pair; bits as in {@code ibv_access_flags}. */
public final class Access {
  public static final int LOCAL_WRITE = 1;
  public static final int REMOTE_WRITE = 1 << 1;
  public static final int REMOTE_READ = 1 << 2;
  public static final int REMOTE_ATOMIC = 1 << 3;
  /** Everything above. */
  public static final int ALL = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC;

  private Access() {}

  static String describe(int access) {
    StringBuilder text = new StringBuilder();
    append(text, access, LOCAL_WRITE, "LOCAL_WRITE");
    append(text, access, REMOTE_WRITE, "REMOTE_WRITE");
    append(text, access, REMOTE_READ, "REMOTE_READ");
    append(text, access, REMOTE_ATOMIC, "REMOTE_ATOMIC");
    return text.isEmpty() ? "LOCAL_READ" : text.toString();
  }

  private static void append(StringBuilder text, int access, int bit, String name) {
    if ((access & bit) != 0) {
      text.append(text.isEmpty() ? "" : "|").append(name);
    }
  }
}
