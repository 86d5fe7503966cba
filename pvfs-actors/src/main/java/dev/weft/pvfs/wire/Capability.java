package dev.weft.pvfs.wire;

/**
 * The manager's permission for a client to access the data of one inode. A {@link CapabilityKey} signs it; the client shows it to a daemon with each
 * request.
 *
 * @param access some of {@link #READ}, {@link #WRITE}, {@link #APPEND} and {@link #TRUNCATE}
 * @param session the client's session at the manager
 * @param expiryNs when it expires, on the clock that the manager and the daemons share
 */
public record Capability(long inode, int access, long session, long expiryNs) {
  public static final int READ = 1;
  public static final int WRITE = 1 << 1;
  public static final int APPEND = 1 << 2;
  public static final int TRUNCATE = 1 << 3;
  /** Of an open file, not of a capability: the file is mapped for writing, and no other client may write it meanwhile. */
  public static final int MAPPED = 1 << 4;
  /** In place of a client's session: the manager itself, which may remove, list and check objects. */
  public static final long MANAGER = 0;
  /** All access rights. */
  public static final int ACCESS_MASK = READ | WRITE | APPEND | TRUNCATE;

  public Capability {
    if ((access & ~ACCESS_MASK) != 0) {
      throw new IllegalArgumentException("access is 0x" + Integer.toHexString(access) + ", must be bits of 0x" + Integer.toHexString(ACCESS_MASK));
    }
  }

  /** Whether it is for this inode and allows all of {@code wanted}. */
  public boolean allows(long wantedInode, int wanted) {
    return inode == wantedInode && (access & wanted) == wanted;
  }
}
