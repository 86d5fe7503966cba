package dev.weft.hca.link;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.messaging.MessageChannel;

/** The state of one connection from a client to a service. A {@link Connector} changes it; a client extends it with its own state. */
public class Link {
  /** One attempt to connect: the context of its events, and of the timer that ends its wait. */
  public record Attempt(Link link, int number) {
    /** Whether neither a later attempt nor a loss has replaced it. */
    public boolean isCurrent() {
      return number == link.attempt;
    }
  }

  Connection connection;
  private MessageChannel channel;
  private int attempt;
  private boolean isUp;
  private String why;

  /** Makes a link without a connection; {@code why} says why it is not up. */
  protected Link(String why) {
    this.why = why;
  }

  /** Whether the service has answered the hello, and requests may be sent. */
  public final boolean isUp() {
    return isUp;
  }

  /** Why it is not up; empty while it is. */
  public final String why() {
    return why;
  }

  /** The channel of the current attempt; null between attempts. */
  public final MessageChannel channel() {
    return channel;
  }

  /** Requests may be sent from now on. */
  public final void up() {
    isUp = true;
    why = "";
  }

  /** Ends the connection and the current attempt for good. Later events change nothing. */
  public final void stop() {
    down(why);
    disconnect();
    drop();
  }

  /** The current attempt. */
  final Attempt attempt() {
    return new Attempt(this, attempt);
  }

  final Attempt nextAttempt() {
    attempt++;
    return attempt();
  }

  final void opened(MessageChannel opened) {
    channel = opened;
    channel.attach(this);
  }

  final void down(String reason) {
    attempt++;
    isUp = false;
    why = reason;
  }

  /** Notifies the service that the connection ends. */
  final void disconnect() {
    if (connection != null) {
      connection.disconnect();
    }
  }

  /** Closes the channel without a word to the service. */
  final void drop() {
    connection = null;
    if (channel != null) {
      channel.close();
      channel = null;
    }
  }
}
