package dev.weft.fabric.packet;

/**
 * The right to read, out of its owner's memory, what packets refer to. Its number is the same as long as the owner keeps that memory as it is;
 * whoever has copied bytes looks again and takes them for lost if the number has changed. Any thread.
 */
public interface ReadLease {
  /** Its number now. */
  int epoch();

  /** Where its number is among those that other processes see. */
  int slot();

  /** What was lent so far may change from now on; to be called before it does. */
  void revoke();
}
