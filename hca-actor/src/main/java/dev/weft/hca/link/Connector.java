package dev.weft.hca.link;

import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.MessageChannel;
import java.util.function.Function;

/**
 * Connects the links of one client, and connects them again after a loss. Decision logic: it acts only through its {@link Client}. One attempt for each
 * link is under way at a time.
 */
public final class Connector<L extends Link> {
  /** The result of {@link Client#onLost} if no further attempt follows. */
  public static final long NEVER = -1;

  /** The actor that owns the links. */
  public interface Client<L> {
    /**
     * Opens a channel and sends the hello.
     *
     * @param attempt the context of the events
     * @throws dev.weft.hca.verbs.VerbsException or OutOfMemoryError if there is no room; no channel is open then
     */
    MessageChannel dial(L link, Link.Attempt attempt);

    /** Handles the answer to the hello: calls {@link Link#up}, now or later, or {@link Connector#lose}. */
    void onEstablished(L link, byte[] answer);

    /** The connection of the current attempt was rejected or has ended. Usually calls {@link Connector#lose}. */
    void onEnded(L link, ConnectionEvent event);

    /** A connection that the client had abandoned before was rejected or has ended. */
    default void onEndedEarlier(L link, ConnectionEvent event) {}

    /**
     * Handles a loss; the channel is closed already.
     *
     * @return nanoseconds until the next attempt, or {@link #NEVER}
     */
    long onLost(L link, String why, boolean wasUp);

    /** Calls {@link Connector#connect} after {@code delayNs} nanoseconds if the attempt is still current then. */
    void later(long delayNs, Link.Attempt attempt);
  }

  private final Class<L> type;
  private final Client<L> client;

  public Connector(Class<L> type, Client<L> client) {
    this.type = type;
    this.client = client;
  }

  /** Begins an attempt. Passes on what {@link Client#dial} throws; then call {@link #lose}. */
  public void connect(L link) {
    Link.Attempt attempt = link.nextAttempt();
    link.opened(client.dial(link, attempt));
  }

  /** Returns the link of an attempt of this connector. */
  public L linkOf(Link.Attempt attempt) {
    return type.cast(attempt.link());
  }

  /** Handles an event whose context is a {@link Link.Attempt} of one of these links. */
  public void onEvent(ConnectionEvent event) {
    Link.Attempt attempt = (Link.Attempt) event.context();
    L link = linkOf(attempt);
    switch (event) {
      case ConnectionEvent.Established established -> {
        if (attempt.isCurrent()) {
          link.connection = established.connection();
          client.onEstablished(link, established.privateData());
        } else {
          established.connection().disconnect(); // This attempt was abandoned meanwhile.
        }
      }
      case ConnectionEvent.Rejected _, ConnectionEvent.Disconnected _ -> {
        if (attempt.isCurrent()) {
          client.onEnded(link, event);
        } else {
          client.onEndedEarlier(link, event);
        }
      }
    }
  }

  /**
   * Ends a connection or an attempt that has failed, and plans the next attempt. The queue pair is destroyed first: from then on nothing of it reaches a
   * buffer.
   *
   * @param tells whether to tell the service, if it is connected; otherwise it may keep what it holds for this client
   */
  public void lose(L link, String why, boolean tells) {
    boolean wasUp = link.isUp();
    link.down(why);
    if (tells) {
      link.disconnect();
    }
    link.drop();
    long delayNs = client.onLost(link, why, wasUp);
    if (delayNs != NEVER) {
      client.later(delayNs, link.attempt());
    }
  }

  /** Why a connection was rejected or has ended, as text for people. {@code denial} decodes the service's reason. */
  public static String why(ConnectionEvent event, Function<byte[], String> denial) {
    return switch (event) {
      case ConnectionEvent.Established _ -> throw new IllegalArgumentException("this connection has not ended");
      case ConnectionEvent.Rejected rejected -> rejected.reason() == RejectReason.CONSUMER ? denial.apply(rejected.privateData())
          : "its connection was refused: " + rejected.reason();
      case ConnectionEvent.Disconnected gone -> gone.nodeLost() ? "its node was lost" : "it disconnected";
    };
  }
}
