package dev.weft.fabric.subnet;

import dev.weft.fabric.node.Advert;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The adverts of the services of this JVM, and the callers that wait for the subnet manager's decision. The agent's thread. */
final class AgentAdverts {
  private static final Logger LOG = LoggerFactory.getLogger(AgentAdverts.class);

  /** @param change number of the agent's change that added the advert */
  private record Waiting(Advert advert, long change, Consumer<String> done) {}

  private final int bytesMax;
  private final List<Advert> adverts = new ArrayList<>();
  private final List<Waiting> waiting = new ArrayList<>();
  /** Adverts that were accepted once and are refused now, by node and service. */
  private final Set<String> lost = new HashSet<>();

  /** @param bytesMax largest size of all adverts of this JVM. It is the limit of the whole fabric, so that a registration fits into a message */
  AgentAdverts(int bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** Adds an advert. Returns false if it is too large; {@code done} has then got the reason. */
  boolean add(Advert advert, long change, Consumer<String> done) {
    int left = bytesMax - advert.bytesBeside(adverts);
    if (advert.bytes() > left) {
      done.accept(advert.misfit(left, bytesMax, adverts));
      return false;
    }
    answer(advert::replaces, "another one was given for it");
    adverts.removeIf(advert::replaces);
    adverts.add(advert);
    waiting.add(new Waiting(advert, change, done));
    return true;
  }

  /** Removes the advert of a service at a node. Returns whether there was one. */
  boolean remove(String node, String service) {
    return remove(advert -> advert.node().equals(node) && advert.service().equals(service), "it was withdrawn");
  }

  void removeNode(String node) {
    remove(advert -> advert.node().equals(node), "its node was removed");
  }

  /** Ends all waits, because this JVM has left the fabric. */
  void close() {
    answer(advert -> true, "this JVM has left the fabric");
  }

  private boolean remove(Predicate<Advert> which, String reason) {
    answer(which, reason);
    return adverts.removeIf(which);
  }

  /** Gives {@code reason} to the callers that wait for a decision about these adverts. */
  private void answer(Predicate<Advert> which, String reason) {
    List<Waiting> ended = waiting.stream().filter(one -> which.test(one.advert())).toList();
    waiting.removeAll(ended);
    ended.forEach(one -> one.done().accept(reason));
  }

  List<Advert> claims() {
    return List.copyOf(adverts);
  }

  /**
   * Handles an answer of the subnet manager.
   *
   * @param change the agent's last change that the subnet manager knows
   * @return whether a refused advert was removed
   */
  boolean onRegistered(long change, List<AdvertRefusal> refused) {
    boolean isLess = false;
    for (Waiting one : List.copyOf(waiting)) {
      if (one.change() <= change) {
        waiting.remove(one);
        Optional<String> reason = reason(one.advert(), refused);
        isLess |= reason.isPresent() && adverts.remove(one.advert());
        one.done().accept(reason.orElse(null));
      }
    }
    refused.forEach(this::keep);
    lost.removeIf(key -> refused.stream().noneMatch(refusal -> key(refusal).equals(key)));
    return isLess;
  }

  /** Keeps a refused advert that was accepted before, so that each registration offers it again: a new subnet manager may lack room only for a while. */
  private void keep(AdvertRefusal refusal) {
    if (adverts.stream().anyMatch(advert -> isAbout(refusal, advert)) && lost.add(key(refusal))) {
      LOG.warn("the subnet manager has not published what {} offers at {}: {}; retrying", refusal.service(), refusal.node(),
          refusal.reason());
    }
  }

  private static String key(AdvertRefusal refusal) {
    return refusal.node() + " " + refusal.service();
  }

  private static Optional<String> reason(Advert advert, List<AdvertRefusal> refused) {
    return refused.stream().filter(refusal -> isAbout(refusal, advert)).map(AdvertRefusal::reason).findFirst();
  }

  private static boolean isAbout(AdvertRefusal refusal, Advert advert) {
    return refusal.node().equals(advert.node()) && refusal.service().equals(advert.service());
  }
}
