package dev.weft.tripwire.via;

/**
 * Attributes of a VI.
 *
 * @param reliability this provider supports RELIABLE_DELIVERY
 * @param maxTransferBytes size of the longest message, 1 or more
 * @param tag tag of the memory that it may use
 */
public record ViAttributes(Reliability reliability, int maxTransferBytes, ProtectionTag tag) {
  /** Reliability levels of the architecture. */
  public enum Reliability { UNRELIABLE, RELIABLE_DELIVERY, RELIABLE_RECEPTION }
}
