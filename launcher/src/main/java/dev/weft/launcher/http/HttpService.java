package dev.weft.launcher.http;

import akka.Done;
import akka.actor.Cancellable;
import akka.actor.CoordinatedShutdown;
import akka.actor.ExtendedActorSystem;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Adapter;
import akka.cluster.ClusterActorRefProvider;
import akka.http.javadsl.ConnectionContext;
import akka.http.javadsl.Http;
import akka.http.javadsl.ServerBinding;
import akka.http.javadsl.ServerBuilder;
import akka.http.javadsl.model.StatusCodes;
import akka.http.javadsl.model.headers.RawHeader;
import akka.http.javadsl.server.Directives;
import akka.http.javadsl.server.ExceptionHandler;
import akka.http.javadsl.server.MethodRejection;
import akka.http.javadsl.server.RejectionHandler;
import akka.http.javadsl.server.Route;
import akka.http.javadsl.settings.ServerSettings;
import akka.http.scaladsl.settings.ParserSettings$ErrorLoggingVerbosity$Off$;
import akka.management.javadsl.AkkaManagement;
import dev.weft.fabric.capture.CaptureHub;
import dev.weft.fabric.tls.TlsFiles;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.DurationConverters;

/**
 * The HTTP port of one JVM: Weft's routes below {@code /weft}, {@code /alive} and {@code /ready}, and in a cluster those of Akka
 * Management, all read-only. One per actor system. It binds the routes itself, because the port and the inspected elements are
 * known only when the fabric runs. Akka Management's own start would take both from the configuration.
 */
public final class HttpService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpService.class);
  private static final Duration START_TIMEOUT = Duration.ofSeconds(20);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(2);

  /** Longest wait for a capturing client at the end; a client may have stopped reading. */
  private static final Duration CAPTURE_TIMEOUT = Duration.ofSeconds(1);

  /** Time for the last bytes that were handed to the connection, because Akka does not report when they are written. */
  private static final Duration LAST_BYTES_TIME = Duration.ofMillis(200);

  private static final Pattern LOOPBACK_NAME =
      Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[?::1]?|\\[?0:0:0:0:0:0:0:1]?", Pattern.CASE_INSENSITIVE);

  private final ServerBinding binding;
  private final URI uri;
  private final InspectionRoutes routes;
  private final Supplier<CompletionStage<Void>> endOfCapture;
  private final Executor executor;
  private final Cancellable atShutdown;
  private CompletionStage<Done> stopped; // guarded by this

  private HttpService(ActorSystem<?> system, ServerBinding binding, URI uri, CaptureHub capture, InspectionRoutes routes) {
    this.binding = binding;
    this.routes = routes;
    endOfCapture = () -> endOf(capture);
    executor = system.executionContext();
    this.uri = uri;
    atShutdown = CoordinatedShutdown.get(system).addCancellableTask(CoordinatedShutdown.PhaseServiceUnbind(),
        "weft-http-" + uri.getPort(), this::stop);
  }

  /** Opens the port with the settings of the system's configuration; see the other {@code start}. */
  public static HttpService start(ActorSystem<?> system, Inspection inspection, BooleanSupplier ready) throws IOException {
    return start(system, inspection, ready, HttpSettings.from(system.settings().config()));
  }

  /**
   * Opens the port. Blocks until it is open.
   *
   * @param ready whether the fabric is up; evaluated for each {@code /ready}, must not block
   * @throws HttpStartException if the port is taken or the address is not one of this machine
   * @throws IOException if a certificate or the token cannot be used
   * @throws IllegalArgumentException if the address is not loopback and that is not allowed
   */
  public static HttpService start(ActorSystem<?> system, Inspection inspection, BooleanSupplier ready, HttpSettings settings)
      throws IOException {
    InetAddress address = settings.bindAddress();
    SSLContext tls = settings.access().serverTls();
    String token = settings.access().readToken();
    // Tries the port with a plain socket first, because Akka logs a stack trace if the port is taken.
    try {
      new ServerSocket(settings.port(), 1, address).close();
    } catch (IOException e) {
      throw cannotListen(settings, e);
    }
    FabricHealth.of(system).readyWhen(ready, () -> inspection.servicesView().problem());
    InspectionRoutes weft = InspectionRoutes.of(system, inspection, cluster(system), settings, token != null);
    Route routes = routes(system, weft, settings, token);
    ServerSettings server = ServerSettings.create(Adapter.toClassic(system))
        .withMaxConnections(settings.connectionsMax() + ConnectionLimit.RESERVE)
        .withTransparentHeadRequests(true);
    server = server.withTimeouts(server.getTimeouts().withIdleTimeout(
        DurationConverters.toScala(settings.idleTimeout())));
    // Connections that end in the middle of a request, and invalid requests of other users of this machine, need no log entry.
    server = server.withParserSettings(server.getParserSettings().withErrorLoggingVerbosity(ParserSettings$ErrorLoggingVerbosity$Off$.MODULE$));
    ServerBinding binding;
    try {
      ServerBuilder builder = Http.get(system).newServerAt(address.getHostAddress(), settings.port()).withSettings(server);
      if (tls != null) {
        builder = builder.enableHttps(ConnectionContext.httpsServer(() -> TlsFiles.serverEngine(tls, false)));
      }
      binding = builder.bindFlow(new ConnectionLimit(settings).around(routes.flow(system)))
          .toCompletableFuture().orTimeout(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      throw cannotListen(settings, e.getCause());
    }
    String host = address.getHostAddress();
    URI uri = URI.create((tls == null ? "http://" : "https://") + (host.contains(":") ? "[" + host + "]" : host) + ":" + binding.localAddress().getPort());
    LOG.info("inspection at {}/weft", uri);
    return new HttpService(system, binding, uri, inspection.capture() == null ? null : inspection.capture().cables(), weft);
  }

  private static HttpStartException cannotListen(HttpSettings settings, Throwable failure) {
    return new HttpStartException("cannot listen on " + settings.host() + ":" + settings.port() + " for HTTP: " + failure.getMessage()
        + ". If another program has the port, choose another by weft.http.port, or 0 for a free one", failure);
  }

  private static boolean isClustered(ActorSystem<?> system) {
    return ((ExtendedActorSystem) Adapter.toClassic(system)).provider() instanceof ClusterActorRefProvider;
  }

  private static Supplier<ClusterView> cluster(ActorSystem<?> system) {
    return isClustered(system) ? ClusterWatch.of(system)::view : () -> null;
  }

  private static Route routes(ActorSystem<?> system, InspectionRoutes inspection, HttpSettings settings, String token) {
    boolean clustered = isClustered(system);
    Route weft = inspection.route();
    Route management = clustered
        ? AkkaManagement.get(system).getRoutes(providers -> providers.withReadOnly(true))
        : healthWithoutCluster(FabricHealth.of(system));
    Route open = Directives.concat(weft, management).seal(rejections(clustered), failures(system));
    Route all = token == null ? open : onlyWithToken(new BearerToken(token), open);
    return settings.allowRemote() ? all : onlyUnderLoopbackNames(all);
  }

  /** Rejects other host names, so that a web page whose host name resolves to 127.0.0.1 cannot make a browser read the fabric. */
  private static Route onlyUnderLoopbackNames(Route inner) {
    return Directives.extractHost(host -> host.isEmpty() || LOOPBACK_NAME.matcher(host).matches()
        ? inner
        : Directives.complete(InspectionRoutes.respond(HttpError.forbidden("\"" + host + "\" is not a name of this machine's loopback",
            "ask http://127.0.0.1 or http://localhost, or set weft.http.allow-remote = on"))));
  }

  private static Route onlyWithToken(BearerToken token, Route inner) {
    return Directives.optionalHeaderValueByName("Authorization", header -> token.isIn(header.orElse(""))
        ? inner
        : Directives.complete(InspectionRoutes.respond(HttpError.unauthorized()).addHeader(
            RawHeader.create("WWW-Authenticate", "Bearer realm=\"weft\""))));
  }

  /** Returns routes like Akka Management's health checks, which cannot be loaded without a cluster. */
  private static Route healthWithoutCluster(FabricHealth health) {
    return Directives.concat(
        Directives.path("alive", () -> Directives.get(() -> Directives.complete(StatusCodes.OK))),
        Directives.path("ready", () -> Directives.get(() -> health.isReady()
            ? Directives.complete(StatusCodes.OK)
            : Directives.complete(StatusCodes.INTERNAL_SERVER_ERROR, "Not Healthy: " + health.problem()))));
  }

  private static RejectionHandler rejections(boolean clustered) {
    String exists = "routes: /weft, /alive, /ready" + (clustered ? ", /cluster/members" : "");
    return RejectionHandler.newBuilder()
        .handleAll(MethodRejection.class, rejected -> Directives.extractRequest(request -> Directives.complete(
            InspectionRoutes.respond(HttpError.methodNotAllowed(request.method().value(), request.getUri().path())))))
        .handleNotFound(Directives.extractRequest(request -> Directives.complete(
            InspectionRoutes.respond(HttpError.notFound("there is nothing at " + request.getUri().path(), exists)))))
        .build();
  }

  private static ExceptionHandler failures(ActorSystem<?> system) {
    return ExceptionHandler.newBuilder().matchAny(failure -> {
      system.log().error("an HTTP request failed", failure);
      return Directives.complete(InspectionRoutes.respond(
          HttpError.internal("the answer could not be computed: " + failure, "the log of this JVM says more")));
    }).build();
  }

  /** Ends a capture, so that its client gets the rest of the packets. Closing the port would cut the stream off. */
  private static CompletionStage<Void> endOf(CaptureHub capture) {
    if (capture == null || !capture.isBusy()) {
      return CompletableFuture.completedFuture(null);
    }
    return capture.finish().toCompletableFuture().copy().completeOnTimeout(null, CAPTURE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .thenRunAsync(() -> {}, CompletableFuture.delayedExecutor(LAST_BYTES_TIME.toMillis(), TimeUnit.MILLISECONDS));
  }

  /**
   * Returns the JSON of this port at a path, for a caller that uses another channel and may see everything.
   *
   * @throws CommandFailure if the path does not exist, or cannot be read; the message says why
   */
  public String json(String path) {
    try {
      return routes.json(path).join();
    } catch (CompletionException | HttpError e) {
      Throwable cause = e instanceof HttpError ? e : e.getCause();
      throw new CommandFailure(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
    }
  }

  /** Returns the base URL of the port, such as {@code http://127.0.0.1:8558}. */
  public URI uri() {
    return uri;
  }

  /** Closes the port; running requests have two seconds to end. The shutdown of the actor system does the same. */
  @Override
  public void close() {
    atShutdown.cancel();
    stop().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }

  private synchronized CompletionStage<Done> stop() {
    if (stopped == null) {
      stopped = endOfCapture.get().thenComposeAsync(ended -> binding.terminate(STOP_TIMEOUT), executor)
          .thenApply(terminated -> Done.done());
    }
    return stopped;
  }
}
