package dev.weft.tripwire.nic;

/** The rights of a descriptor, or of a page of an aperture. */
public final class Rights {
  public static final int READ = 1;
  public static final int WRITE = 2;
  public static final int ALL = READ | WRITE;

  private Rights() {}

  public static void check(int rights) {
    if (rights < 0 || rights > ALL) {
      throw new NicException(Status.INVALID, "rights are " + rights + ", want READ, WRITE or both");
    }
  }
}
