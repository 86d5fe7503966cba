package dev.weft.tripwire.mpi;

/**
 * A message that has arrived, or was announced, and that no receive has taken yet.
 *
 * @param bytes its bytes, null if it was only announced
 * @param id the sender's number of an announced message
 * @param local the sending request if this rank is the sender and the bytes are still there, otherwise null
 */
record Arrival(int source, int tag, int context, int length, byte[] bytes, int id, Request local) {
  MpiStatus status() {
    return new MpiStatus(source, tag, length);
  }
}
