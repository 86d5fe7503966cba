package dev.weft.hca.verbs;

/** The context that runs the code which a completion wakes (design section 4; Kernel DSM section 3.2 and Table 1). */
public enum ReceiveContext {
  /** No notification: the consumer polls the completion ring. */
  POLLING,
  /** The handler runs to its end on the hardware thread; it must not block. */
  ISR,
  /** A dedicated thread, fed by the hardware thread. */
  TASK_QUEUE,
  /** The shared default dispatcher; the handler competes with the application for threads. */
  PROCESS
}
