package dev.weft.launcher.http;

import akka.NotUsed;
import akka.actor.typed.ActorSystem;
import akka.http.javadsl.model.ContentTypes;
import akka.http.javadsl.model.HttpEntities;
import akka.http.javadsl.model.HttpRequest;
import akka.http.javadsl.model.HttpResponse;
import akka.http.javadsl.model.Query;
import akka.http.javadsl.model.headers.CacheControl;
import akka.http.javadsl.model.headers.CacheDirectives;
import akka.japi.Pair;
import akka.stream.javadsl.Source;
import akka.util.ByteString;
import dev.weft.fabric.capture.CaptureHub;
import dev.weft.fabric.capture.CaptureSettings;
import dev.weft.fabric.capture.LiveCapture;
import dev.weft.fabric.time.RealClock;
import dev.weft.service.process.CaptureKey;
import java.time.Duration;

/** {@code /weft/capture}: the packets that pass the cables of this JVM, as an endless pcapng file. One capture at a time. */
final class CaptureRoute {
  static final String NAME = "capture";
  static final String ROUTE = "/weft/" + NAME;

  /** If the client has not begun to read its answer after this time, the capture ends. */
  private static final Duration BEGIN_PATIENCE = Duration.ofSeconds(5);

  private final ActorSystem<?> system;
  private final Inspection inspection;
  private final boolean tokenShown;
  private final int queueBytes;

  /** @param tokenShown whether every request that comes here has shown the token */
  CaptureRoute(ActorSystem<?> system, Inspection inspection, boolean tokenShown) {
    this.system = system;
    this.inspection = inspection;
    this.tokenShown = tokenShown;
    queueBytes = CaptureSettings.from(system.settings().config()).queueBytes();
  }

  /** Begins a capture and returns its answer. The capture has the packets from this moment on. */
  HttpResponse answer(HttpRequest request) {
    boolean keyShown = request.getHeader(CaptureKey.HEADER).map(header -> inspection.capture().key().isIn(header.value())).orElse(false);
    if (!tokenShown && !keyShown) {
      throw HttpError.forbidden("packets carry the data and the memory keys of the fabric: " + inspection.jvm() + " shows them to its own user only",
          "run 'weft capture' on its host as the user who started it, or set weft.http.token-file there and show the token");
    }
    boolean sentOnly = sentOnly(request.getUri().query());
    CaptureHub hub = inspection.capture().cables();
    LiveCapture capture = begin(hub, sentOnly);
    if (capture == null) {
      throw HttpError.conflict("another capture runs at " + inspection.jvm(), "one capture of a JVM at a time: end that one first");
    }
    Runnable end = () -> hub.end(capture, inspection.dispatcher());
    CaptureSource packets = new CaptureSource(capture, LiveCapture.preamble(inspection.jvm()), end);
    system.scheduler().scheduleOnce(BEGIN_PATIENCE, packets::endUnlessBegun, system.executionContext());
    Source<ByteString, NotUsed> blocks = Source.fromGraph(packets);
    return HttpResponse.create()
        .addHeader(CacheControl.create(CacheDirectives.NO_STORE))
        .withEntity(HttpEntities.createChunked(ContentTypes.APPLICATION_OCTET_STREAM, blocks));
  }

  private LiveCapture begin(CaptureHub hub, boolean sentOnly) {
    try {
      return hub.begin(queueBytes, RealClock.ofMachine(), RealClock.epochNs(), sentOnly, inspection.dispatcher());
    } catch (OutOfMemoryError e) {
      throw HttpError.unavailable("this JVM has no memory for a queue of " + queueBytes + " bytes: " + e.getMessage(),
          "lower weft.fabric.capture.queue-size, or raise -XX:MaxDirectMemorySize");
    }
  }

  private static boolean sentOnly(Query query) {
    boolean sent = false;
    for (Pair<String, String> parameter : query.toList()) {
      if (!parameter.first().equals("sent")) {
        throw HttpError.badRequest("unknown parameter " + parameter.first(), "the parameter of " + ROUTE + " is sent");
      }
      sent = switch (parameter.second()) {
        case "", "true" -> true;
        case "false" -> false;
        default -> throw HttpError.badRequest("sent is \"" + parameter.second() + "\"", "sent is true or false");
      };
    }
    return sent;
  }
}
