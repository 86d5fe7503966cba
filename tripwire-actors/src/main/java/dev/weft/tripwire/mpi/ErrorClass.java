package dev.weft.tripwire.mpi;

/** What went wrong, as MPI classes it. */
public enum ErrorClass {
  /** The message was longer than the buffer; it is consumed, the buffer's contents are undefined. */
  TRUNCATE,
  /** No such rank. */
  RANK,
  /** No such tag. */
  TAG,
  /** Sizes of buffers do not fit each other. */
  BUFFER,
  /** The operation does not go with the data type. */
  OP,
  /** Too many requests at a time. */
  NO_MEM,
  /** A rank is lost, or has given up. */
  PROC_FAILED,
  /** Something was lost between two ranks, or one sent nonsense. */
  NETWORK,
  /** The calling thread was interrupted. */
  INTERRUPTED
}
