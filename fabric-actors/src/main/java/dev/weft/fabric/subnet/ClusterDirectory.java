package dev.weft.fabric.subnet;

import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.NodeEntry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/** The directory of a cluster JVM: what the latest view says. Written by the agent, read by any thread. */
public final class ClusterDirectory implements Directory {
  private record Snapshot(FabricView view, Map<String, NodeEntry> byName, Map<String, Integer> pathMtuByJvm) {}

  private final CopyOnWriteArrayList<Consumer<String>> nodeLost = new CopyOnWriteArrayList<>();
  private volatile Snapshot snapshot = new Snapshot(FabricView.EMPTY, Map.of(), Map.of());

  @Override
  public Optional<NodeEntry> lookup(String nodeName) {
    return Optional.ofNullable(snapshot.byName().get(nodeName));
  }

  @Override
  public List<NodeEntry> nodes() {
    return snapshot.view().nodes();
  }

  /** The view that this JVM has applied last. */
  public FabricView view() {
    return snapshot.view();
  }

  @Override
  public Subscription onNodeLost(Consumer<String> listener) {
    nodeLost.add(listener);
    return () -> nodeLost.remove(listener);
  }

  @Override
  public int pathMtuTo(String nodeName) {
    Snapshot now = snapshot;
    NodeEntry node = now.byName().get(nodeName);
    return node == null ? Integer.MAX_VALUE : now.pathMtuByJvm().getOrDefault(node.jvm(), Integer.MAX_VALUE);
  }

  /**
   * Takes a view over. A node that has come back under another LID or JVM is lost, too.
   *
   * @param pathMtuTo largest payload in bytes on the way to a JVM
   */
  void apply(FabricView view, ToIntFunction<JvmEntry> pathMtuTo) {
    Snapshot before = snapshot;
    Map<String, NodeEntry> byName = new HashMap<>();
    view.nodes().forEach(node -> byName.put(node.name(), node));
    Map<String, Integer> pathMtuByJvm = new HashMap<>();
    view.jvms().forEach(jvm -> pathMtuByJvm.put(jvm.jvm(), pathMtuTo.applyAsInt(jvm)));
    snapshot = new Snapshot(view, byName, pathMtuByJvm);
    for (NodeEntry old : before.view().nodes()) {
      if (!old.equals(byName.get(old.name()))) {
        nodeLost.forEach(listener -> listener.accept(old.name()));
      }
    }
  }
}
