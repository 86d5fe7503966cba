package dev.weft.pvfs.wire;

/**
 * What the manager lets a client do with the data of one inode. It goes with a {@link CapabilityKey} mark to the client, and with each request of that to a
 * daemon.
 *
 * @param access some of {@link #READ}, {@link #WRITE}, {@link #APPEND} and {@link #TRUNCATE}
 * @param session of the client at the manager
 * @param expiryNs on the clock that the manager and the daemons share; not valid from then on
 */
public record Capability(long inode, int access, long session, long expiryNs) {
  public static final int READ = 1;
  public static final int WRITE = 1 << 1;
  public static final int APPEND = 1 << 2;
  public static final int TRUNCATE = 1 << 3;
  /** Of what is open, and no part of a capability: the file is mapped to be written, which nobody else may do meanwhile. */
  public static final int MAPPED = 1 << 4;
  /** In place of a client's session: the manager itself, which may remove objects, list and check them. */
  public static final long MANAGER = 0;
  /** All that there is. */
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
