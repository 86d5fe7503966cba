package dev.weft.hca.verbs;

/** Who runs the code that a completion wakes (design section 4; seed 000 section 3.2 and Table 1). */
public enum ReceiveContext {
  /** Nobody is woken: the consumer polls the completion ring. */
  POLLING,
  /** The handler runs to completion on the hardware thread; it may not block. */
  ISR,
  /** A dedicated thread, fed by the hardware thread. */
  TASK_QUEUE,
  /** The shared default dispatcher, in competition with the application. */
  PROCESS
}
