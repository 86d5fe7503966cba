package dev.weft.service;

import dev.weft.hca.node.NodeLink;
import java.nio.file.Path;
import java.util.function.Supplier;

/** A subcommand that brings a fabric of its own, the packets of which {@code weft capture} can write to a file. */
public interface Capturable {
  /**
   * Lets the nodes be cabled through {@code tapped}, which is asked once the command line was found right: the file is replaced then.
   *
   * @param file that is written; the command must not write it, too
   */
  void captureBy(Supplier<NodeLink> tapped, Path file);
}
