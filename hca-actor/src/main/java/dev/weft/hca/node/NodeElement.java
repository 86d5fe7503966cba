package dev.weft.hca.node;

/**
 * An actor that its node watches.
 *
 * @param name name of the actor: {@code hca}, {@code cm} or the name of the role
 * @param failure the error that it failed with; null while it runs
 */
public record NodeElement(String name, String failure) {
  public boolean hasFailed() {
    return failure != null;
  }
}
