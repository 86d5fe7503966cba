package dev.weft.service;

import dev.weft.hca.node.NodeLink;
import java.nio.file.Path;
import java.util.function.Supplier;

/** A subcommand that starts its own fabric, so that {@code weft capture} can write the fabric's packets to a file. */
public interface Capturable {
  /**
   * Connects the command's nodes through {@code tapped}. The command calls {@code tapped} only after it has checked its arguments, because that call
   * replaces the file.
   *
   * @param file the capture file; the command must not write to it
   */
  void captureBy(Supplier<NodeLink> tapped, Path file);
}
