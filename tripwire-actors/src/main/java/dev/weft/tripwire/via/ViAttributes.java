package dev.weft.tripwire.via;

/**
 * Attributes of a VI.
 *
 * @param reliability RELIABLE_DELIVERY is what this provider does
 * @param maxTransferBytes longest message, 1 or more
 * @param tag of the memory it may use
 */
public record ViAttributes(Reliability reliability, int maxTransferBytes, ProtectionTag tag) {
  /** Levels of the architecture. */
  public enum Reliability { UNRELIABLE, RELIABLE_DELIVERY, RELIABLE_RECEPTION }
}
