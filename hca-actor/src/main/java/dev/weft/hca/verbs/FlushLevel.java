package dev.weft.hca.verbs;

/** The part of the target memory that a FLUSH covers, as {@code ibv_selectivity_level}. */
public enum FlushLevel {
  /** The range that the request names. */
  RANGE,
  /** The whole region that its key names. */
  REGION
}
