package dev.weft.hca.link;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The requests of one link: those that wait for a credit, and those sent and not answered. The service grants credits, so it bounds the requests that are
 * sent; the client bounds those that it adds.
 */
public final class Backlog<R> {
  private final ArrayDeque<R> waiting = new ArrayDeque<>();
  private final Long2ObjectHashMap<R> sent = new Long2ObjectHashMap<>();
  private final Comparator<? super R> order;
  private int credits;

  /** Makes an empty backlog; {@code order} is the order of sending. */
  public Backlog(Comparator<? super R> order) {
    this.order = order;
  }

  /** The requests that are not sent yet, in order. */
  public ArrayDeque<R> waiting() {
    return waiting;
  }

  /** Begins a connection whose service has granted so many credits. */
  public void granted(int count) {
    credits = count;
  }

  /** Whether a request waits and a credit is free for it. */
  public boolean maySend() {
    return credits > 0 && !waiting.isEmpty();
  }

  public int credits() {
    return credits;
  }

  public int sentCount() {
    return sent.size();
  }

  /** Records that a request was sent under this number, which uses a credit. */
  public void sent(long id, R request) {
    sent.put(id, request);
    credits--;
  }

  /** The unanswered request of this number; null if there is none. */
  public R get(long id) {
    return sent.get(id);
  }

  /** Removes the request of this number; null if there is none. */
  public R remove(long id) {
    return sent.remove(id);
  }

  /** The service has returned credits. */
  public void returned(int count) {
    credits += count;
  }

  /** The connection is lost: unanswered requests wait again, before all others, in the order in which they were sent. Returns them. */
  public List<R> takeBack() {
    credits = 0;
    List<R> again = new ArrayList<>(sent.values());
    again.sort(order);
    sent.clear();
    again.reversed().forEach(waiting::addFirst);
    return again;
  }

  /** Removes all requests. Returns those that waited, followed by the unanswered ones. */
  public List<R> clear() {
    List<R> all = new ArrayList<>(waiting);
    waiting.clear();
    all.addAll(takeBack());
    waiting.clear();
    return all;
  }
}
