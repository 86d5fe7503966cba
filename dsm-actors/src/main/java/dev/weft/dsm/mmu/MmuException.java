package dev.weft.dsm.mmu;

/** Page protection cannot do what was asked for; the message says what is missing and what would be right. */
public final class MmuException extends RuntimeException {
  private static final long serialVersionUID = 1;

  MmuException(String message) {
    super(message);
  }
}
