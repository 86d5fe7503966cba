package dev.weft.service.netvm;

import dev.weft.hca.node.Node;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The inspection section {@code netvm}: shadow page tables, redirect buffers and page locks of each node that has any. */
public final class NetVmSection {
  /** The name of the section. */
  public static final String NAME = "netvm";

  private NetVmSection() {}

  /** Asks the HCAs; never blocks. */
  public static CompletionStage<Map<String, Object>> of(List<Node> nodes) {
    Map<String, CompletableFuture<Object>> asked = new LinkedHashMap<>();
    nodes.forEach(node -> asked.put(node.name(), node.hca().inspectVmLater().thenCombine(node.hca().inspectShared(), (memory, locks) -> {
      Map<String, Object> view = new LinkedHashMap<>();
      if (memory != null) {
        view.put("memory", memory);
      }
      if (!locks.isEmpty()) {
        view.put("locks", locks);
      }
      return (Object) view;
    }).toCompletableFuture()));
    return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new)).thenApply(all -> {
      Map<String, Object> answers = new LinkedHashMap<>();
      asked.forEach((name, answer) -> {
        if (!((Map<?, ?>) answer.join()).isEmpty()) {
          answers.put(name, answer.join());
        }
      });
      return answers;
    });
  }
}
