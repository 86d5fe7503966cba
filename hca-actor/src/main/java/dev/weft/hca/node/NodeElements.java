package dev.weft.hca.node;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The actors that a node watches, and their failures. Only the hardware thread changes them; any thread may call {@link #all}. A role that ends
 * normally is removed. A failed role stays; beyond {@link #FAILED_MAX} failed roles, the oldest is removed.
 */
final class NodeElements {
  static final int FAILED_MAX = 64;

  private final Map<String, NodeElement> elements = new LinkedHashMap<>();
  private volatile List<NodeElement> published = List.of();

  void started(String name) {
    elements.remove(name); // An earlier role of that name may have failed.
    elements.put(name, new NodeElement(name, null));
    publish();
  }

  void ended(String name) {
    elements.remove(name);
    publish();
  }

  void failed(String name, Throwable failure) {
    elements.put(name, new NodeElement(name, failure.toString()));
    List<String> failed = elements.values().stream().filter(NodeElement::hasFailed).map(NodeElement::name).toList();
    if (failed.size() > FAILED_MAX) {
      elements.remove(failed.getFirst());
    }
    publish();
  }

  private void publish() {
    published = List.copyOf(elements.values());
  }

  /** Returns the actors in the order in which they were started. */
  List<NodeElement> all() {
    return published;
  }
}
