package dev.weft.hca.node;

/**
 * An actor of a node that is watched by it.
 *
 * @param name of the actor: {@code hca}, {@code cm}, or that of the role
 * @param failure what it failed with; null while it runs
 */
public record NodeElement(String name, String failure) {
  public boolean hasFailed() {
    return failure != null;
  }
}
