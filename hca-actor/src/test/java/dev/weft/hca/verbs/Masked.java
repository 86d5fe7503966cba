package dev.weft.hca.verbs;

/** Attributes whose mask says something else than the setters that were called. */
public final class Masked {
  private Masked() {}

  /** The same attributes with that mask. */
  public static QpAttr of(QpAttr attr, int mask) {
    attr.mask = mask;
    return attr;
  }
}
