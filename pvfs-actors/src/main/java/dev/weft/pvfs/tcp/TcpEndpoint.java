package dev.weft.pvfs.tcp;

import akka.actor.typed.ActorRef;
import dev.weft.hca.messaging.MessageHandler;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** The channels of one actor, used on its thread. Other threads report channels that can continue; the actor gets one message for all of them. */
final class TcpEndpoint {
  final TcpSelector selector;
  final MessageHandler handler;
  private final int messageBytes;
  private final Runnable wake;
  private final AtomicBoolean isWoken = new AtomicBoolean();
  /** Channels that can read or write; each at most once. */
  private final ConcurrentLinkedQueue<TcpChannel> ready = new ConcurrentLinkedQueue<>();
  /** Channels with more to read, in turn; each at most once. */
  private final ArrayDeque<TcpChannel> reading = new ArrayDeque<>();
  /** Channels with calls of the handler to make; each at most once. */
  private final ArrayDeque<TcpChannel> telling = new ArrayDeque<>();
  private final List<TcpChannel> channels = new ArrayList<>();
  private boolean isServicing;

  <T> TcpEndpoint(TcpSelector selector, int messageBytes, MessageHandler handler, ActorRef<T> owner, T notice) {
    this.selector = selector;
    this.messageBytes = messageBytes;
    this.handler = handler;
    this.wake = () -> owner.tell(notice);
  }

  TcpChannel open() {
    TcpChannel channel = new TcpChannel(this, messageBytes);
    channels.add(channel);
    return channel;
  }

  void forget(TcpChannel channel) {
    channels.remove(channel);
    reading.remove(channel);
    telling.remove(channel);
  }

  /** Reports a channel, once until the owner has handled it. Any thread. */
  void onReady(TcpChannel channel) {
    ready.add(channel);
    wakeOnce();
  }

  private void wakeOnce() {
    if (isWoken.compareAndSet(false, true)) {
      wake.run();
    }
  }

  /** Schedules a call of the handler, in the next call of {@link #service} or in this one. */
  void tellLater(TcpChannel channel) {
    telling.add(channel);
    if (!isServicing) {
      wakeOnce();
    }
  }

  void service(int budget) {
    isWoken.set(false);
    isServicing = true;
    int left = budget;
    for (TcpChannel channel = ready.poll(); channel != null; channel = ready.poll()) {
      int operations = channel.takeReady();
      if ((operations & SelectionKey.OP_WRITE) != 0) {
        channel.writeOn();
      }
      if ((operations & TcpChannel.STALLED) != 0) {
        channel.stall();
      }
      if ((operations & SelectionKey.OP_READ) != 0 && channel.isOpen()) {
        reading.add(channel);
      }
    }
    for (int turns = reading.size(); turns > 0 && left > 0 && !reading.isEmpty(); turns--) {
      TcpChannel channel = reading.poll();
      left -= channel.read(left);
      if (channel.hasMore()) {
        reading.add(channel);
      }
    }
    for (int told = 0; told < budget && !telling.isEmpty(); told++) {
      telling.poll().tell();
    }
    isServicing = false;
    if (!reading.isEmpty() || !telling.isEmpty()) {
      wakeOnce();
    }
  }

  void close() {
    List.copyOf(channels).forEach(TcpChannel::close);
  }
}
