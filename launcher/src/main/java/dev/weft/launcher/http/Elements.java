package dev.weft.launcher.http;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.AskPattern;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSnapshot;
import dev.weft.hca.cm.CmActor;
import dev.weft.hca.cm.CmSnapshot;
import dev.weft.hca.device.HcaActor;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.service.NotThereException;
import dev.weft.service.Paging;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks the elements of this JVM for their state. If an element does not answer in time, the result fails with an HttpError. Any thread; never blocks. */
final class Elements {
  private final ActorSystem<?> system;
  private final Inspection inspection;
  private final Duration timeout;

  Elements(ActorSystem<?> system, Inspection inspection, Duration timeout) {
    this.system = system;
    this.inspection = inspection;
    this.timeout = timeout;
  }

  Inspection inspection() {
    return inspection;
  }

  List<Node> nodes() {
    return inspection.nodes().get();
  }

  Node node(String name) {
    return nodes().stream().filter(node -> node.name().equals(name)).findFirst().orElseThrow(() -> HttpError.notFound(
        "there is no node " + name + " in this JVM",
        "nodes here: " + nodes().stream().map(Node::name).toList() + inspection.directory().lookup(name)
            .map(entry -> "; " + name + " is on the JVM " + entry.jvm() + ", ask its port").orElse("")));
  }

  CompletableFuture<HcaSnapshot> hca(Node node) {
    CompletionStage<HcaSnapshot> answer = AskPattern.<HardwareMessage, HcaSnapshot>ask(
        node.hca().actor(), HcaActor.Inspect::new, timeout, system.scheduler());
    return orSilent(answer, "the HCA of node " + node.name());
  }

  CompletableFuture<CmSnapshot> cm(Node node) {
    CompletionStage<CmSnapshot> answer = AskPattern.<HardwareMessage, CmSnapshot>ask(
        node.cm().actor(), CmActor.Inspect::new, timeout, system.scheduler());
    return orSilent(answer, "the connection manager of node " + node.name());
  }

  CompletableFuture<SwitchSnapshot> leafSwitch() {
    CompletionStage<SwitchSnapshot> answer = AskPattern.<SwitchActor.Command, SwitchSnapshot>ask(
        inspection.leafSwitch(), SwitchActor.Inspect::new, timeout, system.scheduler());
    return orSilent(answer, "the leaf switch");
  }

  /** Returns what a section shows at {@code path} below it. */
  CompletableFuture<Object> section(String name, List<String> path, Paging paging) {
    CompletionStage<?> found = ServicesView.guarded(() -> inspection.sections().get(name).find(path, paging), failure -> {
      if (failure instanceof NotThereException e) {
        throw HttpError.notFound(e.getMessage(), e.hint());
      }
      throw HttpError.internal("section " + name + " cannot be read: " + failure, "this is a defect of that section, not of the request");
    });
    if (found == null) {
      throw HttpError.internal("section " + name + " returned nothing", "this is a defect of that section, not of the request");
    }
    CompletionStage<Object> answer = found.thenApply(result -> result);
    return orSilent(answer.toCompletableFuture().copy().orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS), "section " + name);
  }

  /** Returns the tables of the services. */
  CompletableFuture<ServicesView.Told> serviceTables() {
    return inspection.servicesView().tables(timeout);
  }

  /** Returns the HCA snapshots of all nodes, in their order; null for a node whose HCA does not answer. */
  CompletableFuture<Map<Node, HcaSnapshot>> hcas() {
    Map<Node, CompletableFuture<HcaSnapshot>> asked = new LinkedHashMap<>();
    nodes().forEach(node -> asked.put(node, hca(node).exceptionally(silent -> null)));
    return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new)).thenApply(all -> {
      Map<Node, HcaSnapshot> answers = new LinkedHashMap<>();
      asked.forEach((node, answer) -> answers.put(node, answer.join()));
      return answers;
    });
  }

  private <T> CompletableFuture<T> orSilent(CompletionStage<T> answer, String what) {
    return answer.toCompletableFuture().handle((value, failure) -> {
      if (failure == null) {
        return value;
      }
      Throwable cause = failure.getCause() == null ? failure : failure.getCause();
      if (cause instanceof NotThereException e) {
        throw HttpError.notFound(e.getMessage(), e.hint());
      }
      if (cause instanceof TimeoutException) {
        throw HttpError.unavailable(what + " did not answer within " + timeout.toMillis() + " ms",
            "it has stopped, or its thread is busy or blocked; /weft/dispatcher shows whether the hardware thread runs");
      }
      throw HttpError.internal(what + " failed: " + cause, "the log of this JVM says more");
    });
  }
}
