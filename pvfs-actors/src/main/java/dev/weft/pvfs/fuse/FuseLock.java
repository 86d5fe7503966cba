package dev.weft.pvfs.fuse;

/**
 * A lock of a range of a file, or of the whole file for flock(2).
 *
 * @param type {@link #READ}, {@link #WRITE} or {@link #UNLOCK}
 * @param start the first byte
 * @param end the last byte, inclusive; {@link Long#MAX_VALUE} for the end of the file, wherever it is
 * @param pid the process that asked; others see it as the holder
 */
public record FuseLock(int type, long start, long end, int pid) {
  public static final int READ = 0;
  public static final int WRITE = 1;
  public static final int UNLOCK = 2;
}
