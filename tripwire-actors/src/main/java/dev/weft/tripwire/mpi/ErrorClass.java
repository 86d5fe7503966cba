package dev.weft.tripwire.mpi;

/** The error classes of MPI. */
public enum ErrorClass {
  /** The message was longer than the buffer; it is consumed, and the content of the buffer is undefined. */
  TRUNCATE,
  /** No such rank. */
  RANK,
  /** No such tag. */
  TAG,
  /** The sizes of buffers do not match. */
  BUFFER,
  /** The operation does not support the data type. */
  OP,
  /** Too many requests at once. */
  NO_MEM,
  /** A rank is lost, or has given up. */
  PROC_FAILED,
  /** Data was lost between two ranks, or a rank sent invalid data. */
  NETWORK,
  /** The calling thread was interrupted. */
  INTERRUPTED
}
