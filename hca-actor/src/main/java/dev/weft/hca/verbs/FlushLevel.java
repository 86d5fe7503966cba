package dev.weft.hca.verbs;

/** How much of the target a FLUSH covers, as {@code ibv_selectivity_level}. */
public enum FlushLevel {
  /** The range that the request names. */
  RANGE,
  /** The whole region that its key names. */
  REGION
}
