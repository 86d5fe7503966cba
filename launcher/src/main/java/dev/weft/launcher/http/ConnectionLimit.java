package dev.weft.launcher.http;

import akka.NotUsed;
import akka.http.javadsl.model.HttpRequest;
import akka.http.javadsl.model.HttpResponse;
import akka.stream.Attributes;
import akka.stream.BidiShape;
import akka.stream.Inlet;
import akka.stream.Outlet;
import akka.stream.javadsl.BidiFlow;
import akka.stream.javadsl.Flow;
import akka.stream.stage.AbstractInHandler;
import akka.stream.stage.AbstractOutHandler;
import akka.stream.stage.AsyncCallback;
import akka.stream.stage.GraphStage;
import akka.stream.stage.GraphStageLogic;
import akka.stream.stage.TimerGraphStageLogic;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Bounds the connections of one HTTP port. A connection has {@code headerTimeout} to send its first request, however slowly it sends, and {@code
 * idleTimeout} for each later one. If there are more connections than {@code connectionsMax}, the one that has waited longest for a request ends. If
 * all of them have a request in work, further ones get an answer to {@code /alive} and {@code /ready}, and 503 to all else. Any thread.
 */
final class ConnectionLimit {
  /** Connections above the maximum: those that are being closed, and health checks while all others work. */
  static final int RESERVE = 64;

  private static final Set<String> HEALTH = Set.of("/alive", "/ready");
  private static final String TIMER = "request";

  private final int connectionsMax;
  private final Duration headerTimeout;
  private final Duration idleTimeout;
  /** Connections without a request in work, in the order in which they began to wait. */
  private final Set<Connection> waiting = new LinkedHashSet<>(); // guarded by this
  private int working; // guarded by this

  ConnectionLimit(HttpSettings settings) {
    connectionsMax = settings.connectionsMax();
    headerTimeout = settings.headerTimeout();
    idleTimeout = settings.idleTimeout();
  }

  /** Returns the handler of connections; it is materialized for each connection. */
  Flow<HttpRequest, HttpResponse, NotUsed> around(Flow<HttpRequest, HttpResponse, NotUsed> routes) {
    return BidiFlow.fromGraph(new Stage()).join(routes);
  }

  private synchronized void waits(Connection connection, boolean hasWorked) {
    working -= hasWorked ? 1 : 0;
    waiting.add(connection);
    if (waiting.size() > 1 && waiting.size() + working > connectionsMax) {
      Connection oldest = waiting.iterator().next();
      waiting.remove(oldest);
      oldest.askToEnd();
    }
  }

  /** Records that a connection has a request. Returns whether to serve it: there are not too many, or it is a health check. */
  private synchronized boolean works(Connection connection, HttpRequest request) {
    waiting.remove(connection);
    working++;
    return working <= connectionsMax || HEALTH.contains(request.getUri().path());
  }

  private synchronized void ended(Connection connection, boolean isWorking) {
    waiting.remove(connection);
    working -= isWorking ? 1 : 0;
  }

  private final class Stage extends GraphStage<BidiShape<HttpRequest, HttpRequest, HttpResponse, HttpResponse>> {
    private final Inlet<HttpRequest> fromClient = Inlet.create("fromClient");
    private final Outlet<HttpRequest> toRoutes = Outlet.create("toRoutes");
    private final Inlet<HttpResponse> fromRoutes = Inlet.create("fromRoutes");
    private final Outlet<HttpResponse> toClient = Outlet.create("toClient");

    @Override
    public BidiShape<HttpRequest, HttpRequest, HttpResponse, HttpResponse> shape() {
      return new BidiShape<>(fromClient, toRoutes, fromRoutes, toClient);
    }

    @Override
    public GraphStageLogic createLogic(Attributes inheritedAttributes) {
      return new Connection(this);
    }
  }

  /** One connection, on the thread of its stream. */
  private final class Connection extends TimerGraphStageLogic {
    private final AsyncCallback<NotUsed> end = createAsyncCallback(nothing -> endIfWaiting());
    private final Stage stage;
    private boolean isWorking;
    private boolean isAnswered;

    Connection(Stage stage) {
      super(stage.shape());
      this.stage = stage;
      setHandler(stage.fromClient, new AbstractInHandler() {
        @Override
        public void onPush() {
          onRequest(grab(stage.fromClient));
        }

        @Override
        public void onUpstreamFinish() {
          complete(stage.toRoutes);
        }
      });
      setHandler(stage.toRoutes, new AbstractOutHandler() {
        @Override
        public void onPull() {
          pullRequest();
        }

        @Override
        public void onDownstreamFinish(Throwable cause) {
          cancel(stage.fromClient);
        }
      });
      setHandler(stage.fromRoutes, new AbstractInHandler() {
        @Override
        public void onPush() {
          answer(grab(stage.fromRoutes));
        }

        @Override
        public void onUpstreamFinish() {
          complete(stage.toClient);
        }
      });
      setHandler(stage.toClient, new AbstractOutHandler() {
        @Override
        public void onPull() {
          onWritten();
        }

        @Override
        public void onDownstreamFinish(Throwable cause) {
          cancel(stage.fromRoutes);
        }
      });
    }

    @Override
    public void preStart() {
      scheduleOnce(TIMER, headerTimeout);
      waits(this, false);
    }

    /** Takes one request at a time: the next request waits until the last answer is written, so a client that reads no answers has to wait. */
    private void pullRequest() {
      if (!isWorking && isAvailable(stage.toRoutes) && !hasBeenPulled(stage.fromClient) && !isClosed(stage.fromClient)) {
        pull(stage.fromClient);
      }
    }

    private void onRequest(HttpRequest request) {
      cancelTimer(TIMER);
      isWorking = true;
      isAnswered = false;
      if (works(this, request)) {
        push(stage.toRoutes, request);
      } else {
        request.discardEntityBytes(materializer());
        answer(InspectionRoutes.respond(HttpError.unavailable("all " + connectionsMax + " connections have a request in work",
            "ask again, or set weft.http.connections-max higher; /alive and /ready are answered")));
      }
    }

    private void answer(HttpResponse response) {
      isAnswered = true;
      push(stage.toClient, response);
    }

    /** Handles a pull: when the next answer is wanted, the last one, also a streamed one, has been written. */
    private void onWritten() {
      if (isWorking && isAnswered) {
        isWorking = false;
        scheduleOnce(TIMER, idleTimeout);
        waits(this, true);
        pullRequest();
      }
      if (!hasBeenPulled(stage.fromRoutes) && !isClosed(stage.fromRoutes)) {
        pull(stage.fromRoutes);
      }
    }

    /** Ends the connection, unless its request has come meanwhile. */
    private void endIfWaiting() {
      if (!isWorking) {
        completeStage();
      }
    }

    private void askToEnd() {
      end.invoke(NotUsed.getInstance());
    }

    @Override
    public void onTimer(Object key) {
      completeStage();
    }

    @Override
    public void postStop() {
      ended(this, isWorking);
    }
  }
}
