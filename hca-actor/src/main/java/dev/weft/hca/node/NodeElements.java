package dev.weft.hca.node;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a node watches, and what has failed of it. Written on the hardware thread; {@link #all} may be called by any. A role that ended as it
 * should is forgotten, one that failed is kept, at most {@link #FAILED_MAX} of them: the oldest goes first.
 */
final class NodeElements {
  static final int FAILED_MAX = 64;

  private final Map<String, NodeElement> elements = new LinkedHashMap<>();
  private volatile List<NodeElement> published = List.of();

  void started(String name) {
    elements.remove(name); // One of that name may have failed before.
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

  /** In the order in which they were started. */
  List<NodeElement> all() {
    return published;
  }
}
