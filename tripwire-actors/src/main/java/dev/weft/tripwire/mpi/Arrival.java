package dev.weft.tripwire.mpi;

/**
 * A message that has come, or was announced, and that nobody has asked for yet.
 *
 * @param bytes its bytes, null if it was only announced
 * @param id what the sender calls an announced message
 * @param local the sending request if the sender is this rank and the bytes are still there, else null
 */
record Arrival(int source, int tag, int context, int length, byte[] bytes, int id, Request local) {
  MpiStatus status() {
    return new MpiStatus(source, tag, length);
  }
}
