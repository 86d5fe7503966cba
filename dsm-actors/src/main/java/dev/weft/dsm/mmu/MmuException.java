package dev.weft.dsm.mmu;

/** Page protection cannot serve the request. The message says what is missing and what is required. */
public final class MmuException extends RuntimeException {
  private static final long serialVersionUID = 1;

  MmuException(String message) {
    super(message);
  }
}
