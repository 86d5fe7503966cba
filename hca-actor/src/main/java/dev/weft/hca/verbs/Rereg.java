package dev.weft.hca.verbs;

/** The properties of a region that {@link Hca#reregMr} changes; bits as in {@code ibv_rereg_mr_flags}. */
public final class Rereg {
  /** The memory and the address of its first byte. */
  public static final int TRANSLATION = 1;
  public static final int PD = 1 << 1;
  public static final int ACCESS = 1 << 2;

  public static final int ALL = TRANSLATION | PD | ACCESS;

  private Rereg() {}
}
