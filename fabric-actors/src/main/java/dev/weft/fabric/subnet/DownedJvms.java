package dev.weft.fabric.subnet;

import dev.weft.fabric.node.NodeEntry;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * JVMs that will certainly be removed, because their process has ended or the cluster has downed them. From then on, the fabric ignores what a view
 * says of them, although the cluster removes them only some seconds later. An incarnation never comes back, so a JVM that is started again at the
 * same address is another one. Bound: {@value #MAX}, the oldest is forgotten first. The thread of the agent, or of the subnet manager.
 */
final class DownedJvms {
  static final int MAX = 1024;

  private record Jvm(String jvm, long incarnation) {}

  private final LinkedHashSet<Jvm> downed = new LinkedHashSet<>();

  /** Adds a JVM. Returns whether it is new. */
  boolean add(String jvm, long incarnation) {
    boolean isNew = downed.add(new Jvm(jvm, incarnation));
    if (downed.size() > MAX) {
      downed.removeFirst();
    }
    return isNew;
  }

  /** Whether a JVM is down. */
  boolean has(String jvm, long incarnation) {
    return downed.contains(new Jvm(jvm, incarnation));
  }

  /** Returns the view without these JVMs, their nodes, adverts and places in groups; the same view if it contains none of them. */
  FabricView without(FabricView view) {
    List<JvmEntry> jvms = view.jvms().stream().filter(jvm -> !has(jvm.jvm(), jvm.incarnation())).toList();
    if (jvms.size() == view.jvms().size()) {
      return view;
    }
    Set<String> addresses = jvms.stream().map(JvmEntry::jvm).collect(Collectors.toSet());
    Set<Integer> numbers = jvms.stream().map(JvmEntry::number).collect(Collectors.toSet());
    List<NodeEntry> nodes = view.nodes().stream().filter(node -> addresses.contains(node.jvm())).toList();
    Set<String> names = nodes.stream().map(NodeEntry::name).collect(Collectors.toSet());
    List<GroupEntry> groups = view.groups().stream()
        .map(group -> new GroupEntry(group.name(), group.lid(), group.receivers().stream().filter(numbers::contains).toList())).toList();
    return new FabricView(view.version(), jvms, nodes, groups, view.adverts().stream().filter(advert -> names.contains(advert.node())).toList());
  }
}
