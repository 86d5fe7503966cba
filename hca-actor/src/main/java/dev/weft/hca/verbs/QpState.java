package dev.weft.hca.verbs;

/** Queue pair states (specification volume 1, section 10.3.1). */
public enum QpState {
  RESET,
  INIT,
  RTR,
  RTS,
  SQD,
  SQE,
  ERR
}
