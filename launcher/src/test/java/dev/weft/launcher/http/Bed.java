package dev.weft.launcher.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.capture.CaptureHub;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.NodeLink;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.service.process.CaptureKey;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** A fabric in real time with two nodes, a and b, a connected queue pair, and its HTTP service on a free port. */
public final class Bed implements AutoCloseable {
  static final int BUFFER = 1 << 16;
  /** A machine that others use, too, may leave an element without a processor for longer than the default. */
  private static final Config PATIENT = ConfigFactory.parseString("weft.http.ask-timeout = 30 s, akka.http.server.request-timeout = 60 s");

  final LocalFabric fabric;
  final List<Node> nodes;
  public final Side a;
  public final Side b;
  final HttpService http;
  final CaptureHub capture = new CaptureHub();
  final CaptureKey captureKey = CaptureKey.draw();
  final HttpClient client = HttpClient.newHttpClient();
  volatile boolean ready = true;

  /** One end of the queue pair. */
  public static final class Side {
    final Node node;
    final ProtectionDomain pd;
    final CompletionQueue cq;
    final QueuePair qp;
    final MemoryRegion mr;
    private final WorkRequest wr = new WorkRequest();
    private final WorkCompletion wc = new WorkCompletion();

    Side(Node node) {
      this.node = node;
      pd = node.hca().allocPd();
      cq = node.hca().createCq(256, ReceiveContext.POLLING, null);
      qp = node.hca().createQp(pd, new QpInitAttr(cq, cq, 64, 64, 4, 4, 64, false));
      MemorySegment memory = Arena.ofAuto().allocate(BUFFER, 64);
      mr = node.hca().regMr(pd, memory, Access.ALL);
    }

    private void connect(Side peer) {
      qp.modify(QpAttr.init(Access.ALL));
      qp.modify(QpAttr.rtr().destLid(peer.node.hca().lid()).destQpNum(peer.qp.qpNum()).rqPsn(0).pathMtu(1024));
    }

    /** Reads memory of its own beyond the region, so that the queue pair, which is its own peer, fails with QP_ACCESS_ERR. */
    void fail() {
      connect(this);
      qp.modify(QpAttr.rts(0));
      qp.postSend(wr.read(mr.addr() + BUFFER, mr.rkey()).sge(mr, 0, 8).signaled());
      WcStatus status = awaitCompletion("a read");
      if (status == WcStatus.SUCCESS) {
        throw new AssertionError("a read beyond the region completed with " + status);
      }
    }

    /** Writes to the peer and waits for the completion. */
    public void write(Side peer, int length) {
      qp.postSend(wr.write(peer.mr.addr(), peer.mr.rkey()).sge(mr, 0, length).wrId(1).signaled());
      WcStatus status = awaitCompletion("a write");
      if (status != WcStatus.SUCCESS) {
        throw new AssertionError("a write completed with " + status);
      }
    }

    private WcStatus awaitCompletion(String what) {
      long deadlineNs = System.nanoTime() + 60_000_000_000L;
      while (!cq.poll(wc)) {
        if (System.nanoTime() > deadlineNs) {
          throw new AssertionError(what + " did not complete within 60 s: " + qp);
        }
        Thread.onSpinWait();
      }
      return wc.status();
    }
  }

  /** An answer. */
  record Answer(int status, String body, HttpResponse<String> response) {
    JsonNode json() {
      try {
        return Json.MAPPER.readTree(body);
      } catch (IOException e) {
        throw new AssertionError("not JSON: " + body, e);
      }
    }
  }

  public Bed() throws IOException {
    this(ConfigFactory.empty(), inspection -> inspection);
  }

  Bed(Config overrides, UnaryOperator<Inspection> extend) throws IOException {
    fabric = LocalFabric.start(overrides.withFallback(PATIENT));
    nodes = List.of(fabric.addNode("a", NodeLink.tapped(capture)), fabric.addNode("b", NodeLink.tapped(capture)));
    a = new Side(nodes.get(0));
    b = new Side(nodes.get(1));
    a.connect(b);
    b.connect(a);
    a.qp.modify(QpAttr.rts(0));
    b.qp.modify(QpAttr.rts(0));
    Inspection inspection =
        Inspection.of("local", () -> nodes, fabric.leafSwitch(), fabric.directory(), fabric.dispatcher()).withCapture(capture, captureKey);
    http = HttpService.start(fabric.system(), extend.apply(inspection), () -> ready,
        HttpSettings.from(fabric.system().settings().config()).at("127.0.0.1", 0));
  }

  public CaptureKey captureKey() {
    return captureKey;
  }

  public URI uri() {
    return http.uri();
  }

  Answer get(String path) throws Exception {
    return call("GET", path);
  }

  Answer call(String method, String path) throws Exception {
    return call(method, path, captureKey.text());
  }

  /** The same, showing another key for captures. */
  Answer call(String method, String path, String key) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(http.uri() + path)).timeout(Duration.ofSeconds(60))
        .header(CaptureKey.HEADER, key).method(method, HttpRequest.BodyPublishers.noBody()).build();
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    return new Answer(response.statusCode(), response.body(), response);
  }

  /** The JSON of a route that exists. */
  JsonNode json(String path) throws Exception {
    Answer answer = get(path);
    if (answer.status() != 200) {
      throw new AssertionError(path + " answered " + answer.status() + ": " + answer.body());
    }
    return answer.json();
  }

  @Override
  public void close() {
    client.shutdownNow();
    http.close();
    fabric.close();
  }
}
