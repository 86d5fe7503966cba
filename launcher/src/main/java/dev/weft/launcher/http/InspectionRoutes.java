package dev.weft.launcher.http;

import akka.actor.typed.ActorSystem;
import akka.http.javadsl.model.ContentTypes;
import akka.http.javadsl.model.HttpMethods;
import akka.http.javadsl.model.HttpRequest;
import akka.http.javadsl.model.HttpResponse;
import akka.http.javadsl.model.StatusCode;
import akka.http.javadsl.model.StatusCodes;
import akka.http.javadsl.model.Uri;
import akka.http.javadsl.model.headers.Allow;
import akka.http.javadsl.model.headers.CacheControl;
import akka.http.javadsl.model.headers.CacheDirectives;
import akka.http.javadsl.server.Directives;
import akka.http.javadsl.server.Route;
import dev.weft.fabric.switching.PortSnapshot;
import dev.weft.fabric.switching.SwitchSnapshot;
import dev.weft.hca.cm.CmSnapshot;
import dev.weft.hca.netvm.PageTableSnapshot;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.service.Alarm;
import dev.weft.service.Paging;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/** The read-only routes below {@code /weft}; {@code docs/reference/http.md} describes each. */
final class InspectionRoutes {
  private static final String ROOT = "weft";

  private final ActorSystem<?> system;
  private final Elements elements;
  private final Supplier<ClusterView> cluster;
  private final int listMax;
  /** Null if the cables cannot be captured. */
  private final CaptureRoute capture;

  /** An HCA with one page of each of its lists. */
  private record HcaView(
      String node,
      int lid,
      boolean linkUp,
      List<Integer> linkCredits,
      HcaSnapshot.Counters counters,
      Paging.Page<HcaSnapshot.Qp> queuePairs,
      Paging.Page<HcaSnapshot.Cq> completionQueues,
      Paging.Page<HcaSnapshot.Mr> memoryRegions,
      Paging.Page<HcaSnapshot.Srq> sharedReceiveQueues,
      Paging.Page<HcaSnapshot.Mw> memoryWindows,
      Paging.Page<HcaSnapshot.CompletionCount> completionCounters,
      Paging.Page<HcaSnapshot.Group> multicastGroups,
      Paging.Page<HcaSnapshot.Pd> protectionDomains) {}

  /** A connection manager with one page of its list. */
  private record CmView(
      List<String> services,
      List<String> datagramServices,
      int connectionsMax,
      Paging.Page<CmSnapshot.Entry> connections,
      int lookups,
      long unknownMessages) {}

  private record NodeDetail(StatusView.NodeView node, Paging.Page<Alarm> alarms) {}

  private record SwitchView(List<PortSnapshot> ports, Paging.Page<SwitchSnapshot.Route> routes,
      Paging.Page<SwitchSnapshot.Group> groups) {}

  private record PortView(PortSnapshot port, List<Integer> routedLids) {}

  private record IndexView(String what, List<String> routes) {}

  /** @param cluster returns the present cluster, or null without one */
  private InspectionRoutes(ActorSystem<?> system, Elements elements, Supplier<ClusterView> cluster, int listMax, boolean tokenShown) {
    this.system = system;
    this.elements = elements;
    this.cluster = cluster;
    this.listMax = listMax;
    capture = elements.inspection().capture() == null ? null : new CaptureRoute(system, elements.inspection(), tokenShown);
  }

  /** @param tokenShown whether every request that comes here has shown the token */
  static InspectionRoutes of(ActorSystem<?> system, Inspection inspection, Supplier<ClusterView> cluster, HttpSettings settings, boolean tokenShown) {
    return new InspectionRoutes(system, new Elements(system, inspection, settings.askTimeout()), cluster, settings.listMax(), tokenShown);
  }

  Route route() {
    return Directives.extractRequest(request -> {
      List<String> path = segments(request.getUri());
      return path.isEmpty() || !path.getFirst().equals(ROOT)
          ? Directives.reject()
          : Directives.completeWithFuture(answer(request, path.subList(1, path.size())));
    });
  }

  /** Returns the JSON at a path such as {@code /weft/status}, in one line; fails with an HttpError. */
  CompletableFuture<String> json(String at) {
    List<String> path = segments(Uri.create(at));
    if (path.isEmpty() || !path.getFirst().equals(ROOT)) {
      throw HttpError.notFound("there is nothing at " + at, "all is below /weft");
    }
    return find(path.subList(1, path.size()), new Paging(0, listMax))
        .thenApplyAsync(value -> Json.text(Json.tree(value), false), system.executionContext());
  }

  /** Returns the decoded segments of a path; a trailing slash makes no difference. */
  private static List<String> segments(Uri uri) {
    List<String> segments = new ArrayList<>();
    uri.pathSegments().forEach(segments::add);
    if (!segments.isEmpty() && segments.getLast().isEmpty()) {
      segments.removeLast();
    }
    return segments;
  }

  private CompletableFuture<HttpResponse> answer(HttpRequest request, List<String> path) {
    CompletableFuture<HttpResponse> answer;
    try {
      if (!request.method().equals(HttpMethods.GET)) {
        throw HttpError.methodNotAllowed(request.method().value(), request.getUri().path());
      }
      if (capture != null && path.equals(List.of(CaptureRoute.NAME))) {
        return now(capture.answer(request));
      }
      PagingQuery query = PagingQuery.of(request.getUri().query(), listMax);
      answer = find(path, query.paging())
          .thenApplyAsync(value -> respond(StatusCodes.OK, value, query.pretty()), system.executionContext());
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.exceptionally(this::refuse);
  }

  static HttpResponse respond(StatusCode status, Object value, boolean pretty) {
    return HttpResponse.create()
        .withStatus(status)
        .addHeader(CacheControl.create(CacheDirectives.NO_STORE))
        .withEntity(ContentTypes.APPLICATION_JSON, Json.text(Json.tree(value), pretty) + "\n");
  }

  static HttpResponse respond(HttpError error) {
    HttpResponse response = respond(error.status(), error.body(), false);
    return error.status().equals(StatusCodes.METHOD_NOT_ALLOWED)
        ? response.addHeader(Allow.create(HttpMethods.GET, HttpMethods.HEAD))
        : response;
  }

  private HttpResponse refuse(Throwable failure) {
    Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    if (cause instanceof HttpError error) {
      return respond(error);
    }
    system.log().error("an inspection request failed", cause);
    return respond(HttpError.internal("the answer could not be computed: " + cause, "the log of this JVM says more"));
  }

  private CompletableFuture<?> find(List<String> path, Paging paging) {
    if (path.isEmpty()) {
      return now(index());
    }
    String first = path.getFirst();
    List<String> rest = path.subList(1, path.size());
    return switch (first) {
      case "status" -> leaf(path, rest, this::status);
      case "nodes" -> nodes(path, rest, paging);
      case "switch" -> leafSwitch(path, rest, paging);
      case "dispatcher" -> leaf(path, rest, () -> now(elements.inspection().dispatcher().stats()));
      case "directory" -> leaf(path, rest, () -> now(paging.of(elements.inspection().directory().nodes())));
      default -> {
        if (!elements.inspection().sections().containsKey(first)) {
          throw unknown(path, "routes: " + index().routes());
        }
        yield elements.section(first, rest, paging);
      }
    };
  }

  private static CompletableFuture<?> leaf(List<String> path, List<String> rest, Supplier<CompletableFuture<?>> value) {
    if (!rest.isEmpty()) {
      throw unknown(path, "/weft/" + path.getFirst() + " has nothing below it");
    }
    return value.get();
  }

  private IndexView index() {
    List<String> routes = new ArrayList<>(List.of("/weft", "/weft/status", "/weft/nodes", "/weft/nodes/{name}",
        "/weft/nodes/{name}/hca", "/weft/nodes/{name}/qps", "/weft/nodes/{name}/qps/{number}", "/weft/nodes/{name}/cqs",
        "/weft/nodes/{name}/cqs/{number}", "/weft/nodes/{name}/mrs", "/weft/nodes/{name}/srqs", "/weft/nodes/{name}/mws",
        "/weft/nodes/{name}/counters", "/weft/nodes/{name}/groups", "/weft/nodes/{name}/pages", "/weft/nodes/{name}/pds", "/weft/nodes/{name}/cm",
        "/weft/nodes/{name}/elements", "/weft/switch", "/weft/switch/ports/{number}", "/weft/dispatcher", "/weft/directory"));
    if (capture != null) {
      routes.add(CaptureRoute.ROUTE);
    }
    elements.inspection().sections().forEach((name, section) ->
        ServicesView.guarded(section::routes, failure -> List.of("")).forEach(below -> routes.add("/weft/" + name + below)));
    return new IndexView("the fabric elements of JVM " + elements.inspection().jvm() + ", read-only", routes);
  }

  private CompletableFuture<StatusView> status() {
    CompletableFuture<SwitchSnapshot> leaf = elements.leafSwitch().exceptionally(silent -> null);
    CompletableFuture<ServicesView.Told> told = elements.serviceTables();
    return elements.hcas().thenCombine(leaf, (hcas, leafSwitch) ->
        told.thenApply(services -> StatusView.of(elements.inspection(), hcas, leafSwitch, cluster.get(), services, listMax)))
        .thenCompose(view -> view);
  }

  private CompletableFuture<?> nodes(List<String> path, List<String> rest, Paging paging) {
    if (rest.isEmpty()) {
      return elements.hcas().thenApply(hcas -> paging.of(hcas.entrySet().stream()
          .map(entry -> StatusView.NodeView.of(entry.getKey(), entry.getValue())).toList()));
    }
    Node node = elements.node(rest.getFirst());
    return switch (rest.size()) {
      case 1 -> elements.hca(node).thenApply(hca -> new NodeDetail(
          StatusView.NodeView.of(node, hca), paging.of(Alarms.of(node, hca))));
      case 2 -> switch (rest.get(1)) {
        case "hca" -> elements.hca(node).thenApply(hca -> view(hca, paging));
        case "qps" -> elements.hca(node).thenApply(hca -> paging.of(hca.queuePairs()));
        case "cqs" -> elements.hca(node).thenApply(hca -> paging.of(hca.completionQueues()));
        case "mrs" -> elements.hca(node).thenApply(hca -> paging.of(hca.memoryRegions()));
        case "srqs" -> elements.hca(node).thenApply(hca -> paging.of(hca.sharedReceiveQueues()));
        case "mws" -> elements.hca(node).thenApply(hca -> paging.of(hca.memoryWindows()));
        case "counters" -> elements.hca(node).thenApply(hca -> paging.of(hca.completionCounters()));
        case "groups" -> elements.hca(node).thenApply(hca -> paging.of(hca.multicastGroups()));
        case "pds" -> elements.hca(node).thenApply(hca -> paging.of(hca.protectionDomains()));
        case "pages" -> now(pages(node, paging));
        case "cm" -> elements.cm(node).thenApply(cm -> new CmView(cm.services(), cm.datagramServices(), cm.connectionsMax(),
            paging.of(cm.connections()), cm.lookups(), cm.unknownMessages()));
        case "elements" -> now(paging.of(node.elements()));
        default -> throw unknownOfNode(path);
      };
      case 3 -> switch (rest.get(1)) {
        case "qps" -> one(elements.hca(node), HcaSnapshot::queuePairs, HcaSnapshot.Qp::number, rest.get(2),
            "queue pair", node.name());
        case "cqs" -> one(elements.hca(node), HcaSnapshot::completionQueues, HcaSnapshot.Cq::number, rest.get(2),
            "completion queue", node.name());
        default -> throw unknownOfNode(path);
      };
      default -> throw unknownOfNode(path);
    };
  }

  private static Paging.Page<PageTableSnapshot.Entry> pages(Node node, Paging paging) {
    PageTableSnapshot table = node.hca().inspectPages(paging.offset(), paging.limit());
    return new Paging.Page<>(table.total(), table.offset(), table.entries());
  }

  private static HttpError unknownOfNode(List<String> path) {
    return unknown(path, "a node has hca, qps, qps/{number}, cqs, cqs/{number}, mrs, srqs, mws, counters, groups, pages, pds, cm and "
        + "elements");
  }

  private static HcaView view(HcaSnapshot hca, Paging paging) {
    return new HcaView(hca.node(), hca.lid(), hca.linkUp(), hca.linkCredits(), hca.counters(), paging.of(hca.queuePairs()),
        paging.of(hca.completionQueues()), paging.of(hca.memoryRegions()), paging.of(hca.sharedReceiveQueues()),
        paging.of(hca.memoryWindows()), paging.of(hca.completionCounters()), paging.of(hca.multicastGroups()),
        paging.of(hca.protectionDomains()));
  }

  private CompletableFuture<?> leafSwitch(List<String> path, List<String> rest, Paging paging) {
    if (rest.isEmpty()) {
      return elements.leafSwitch().thenApply(leaf -> new SwitchView(leaf.ports(), paging.of(leaf.routes()),
          paging.of(leaf.groups())));
    }
    if (rest.size() != 2 || !rest.getFirst().equals("ports")) {
      throw unknown(path, "the switch has ports/{number}");
    }
    CompletableFuture<SwitchSnapshot> leaf = elements.leafSwitch();
    return one(leaf, SwitchSnapshot::ports, PortSnapshot::number, rest.get(1), "port", "the leaf switch")
        .thenCombine(leaf, (port, snapshot) -> new PortView(port, snapshot.routes().stream()
            .filter(route -> route.portNumber() == port.number()).map(SwitchSnapshot.Route::lid).toList()));
  }

  private static <S, T> CompletableFuture<T> one(CompletableFuture<S> snapshot, Function<S, List<T>> list,
      ToIntFunction<T> number, String wanted, String kind, String owner) {
    return snapshot.thenApply(all -> list.apply(all).stream()
        .filter(item -> Integer.toString(number.applyAsInt(item)).equals(wanted))
        .findFirst()
        .orElseThrow(() -> HttpError.notFound("there is no " + kind + " " + wanted + " at " + owner,
            existing(list.apply(all).stream().mapToInt(number).sorted().toArray()))));
  }

  private static String existing(int[] numbers) {
    if (numbers.length == 0) {
      return "there are none";
    }
    StringBuilder text = new StringBuilder(numbers.length == 1 ? "there is " : "there are ");
    for (int i = 0; i < Math.min(16, numbers.length); i++) {
      text.append(i == 0 ? "" : ", ").append(numbers[i]);
    }
    return text.append(numbers.length > 16 ? " and " + (numbers.length - 16) + " more" : "").toString();
  }

  private static HttpError unknown(List<String> path, String hint) {
    return HttpError.notFound("there is nothing at /weft/" + String.join("/", path), hint);
  }

  private static <T> CompletableFuture<T> now(T value) {
    return CompletableFuture.completedFuture(value);
  }
}
