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

/** What the services of this JVM advertise, and who waits for the subnet manager's word. The agent's thread. */
final class AgentAdverts {
  private static final Logger LOG = LoggerFactory.getLogger(AgentAdverts.class);

  /** @param change number of the agent's change that first names the advert */
  private record Waiting(Advert advert, long change, Consumer<String> done) {}

  private final int bytesMax;
  private final List<Advert> adverts = new ArrayList<>();
  private final List<Waiting> waiting = new ArrayList<>();
  /** Adverts that were taken once and are refused now, by what they are about. */
  private final Set<String> lost = new HashSet<>();

  /** @param bytesMax of all adverts of this JVM: what the whole fabric may have, so that a registration stays a message that can be sent */
  AgentAdverts(int bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** Whether it is named from now on; if not, {@code done} was told why. */
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

  /** Whether there was one. */
  boolean remove(String node, String service) {
    return remove(advert -> advert.node().equals(node) && advert.service().equals(service), "it was withdrawn");
  }

  void removeNode(String node) {
    remove(advert -> advert.node().equals(node), "its node was removed");
  }

  /** Nobody will answer any more. */
  void close() {
    answer(advert -> true, "this JVM has left the fabric");
  }

  private boolean remove(Predicate<Advert> which, String reason) {
    answer(which, reason);
    return adverts.removeIf(which);
  }

  /** Those that wait for the subnet manager's word do not get it. */
  private void answer(Predicate<Advert> which, String reason) {
    List<Waiting> ended = waiting.stream().filter(one -> which.test(one.advert())).toList();
    waiting.removeAll(ended);
    ended.forEach(one -> one.done().accept(reason));
  }

  List<Advert> claims() {
    return List.copyOf(adverts);
  }

  /**
   * The subnet manager has answered.
   *
   * @param change the last of the agent's changes that it knows
   * @return whether one that was refused is not named any more
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

  /** One that was taken before is offered again with each registration: another subnet manager may have less room, for a while. */
  private void keep(AdvertRefusal refusal) {
    if (adverts.stream().anyMatch(advert -> isAbout(refusal, advert)) && lost.add(key(refusal))) {
      LOG.warn("the subnet manager does not tell others what {} offers at {}: {}; it is asked again", refusal.service(), refusal.node(),
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
