package dev.weft.hca.node;

import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.NodeEntry;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A directory of nobody, for tests to build on. */
public class EmptyDirectory implements Directory {
  @Override
  public Optional<NodeEntry> lookup(String nodeName) {
    return Optional.empty();
  }

  @Override
  public List<NodeEntry> nodes() {
    return List.of();
  }

  @Override
  public Subscription onNodeLost(Consumer<String> listener) {
    return () -> {};
  }
}
