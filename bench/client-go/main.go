// The client-go contestant of the benchmark: a shared informer of typed pods with three indexes and one event handler.
//
//	bench -url http://127.0.0.1:PORT -pods 50000 -events 10000 [-protobuf] [-stream]
//	    measures one informer against the server of the benchmark, and prints the figures as JSON
//	bench -encode list|events <pods.json >pods.pb
//	    translates what the server sends into the protobuf of Kubernetes: a list, or the lines of a watch
//
// GOMAXPROCS in the environment is the number of processors. build.sh builds it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/watch"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	restclientwatch "k8s.io/client-go/rest/watch"
	"k8s.io/client-go/tools/cache"
)

const protobufType = "application/vnd.kubernetes.protobuf"

func main() {
	url := flag.String("url", "", "base URL of the server")
	pods := flag.Int("pods", 0, "how many pods the server lists")
	events := flag.Int("events", 0, "how many of its events are measured")
	isProtobuf := flag.Bool("protobuf", false, "ask for protobuf instead of JSON")
	isStream := flag.Bool("stream", false, "ask for a streaming list instead of a list")
	kind := flag.String("encode", "", "translate a list, or events, from JSON to protobuf")
	flag.Parse()
	if *kind != "" {
		check(encode(*kind, os.Stdin, os.Stdout))
		return
	}
	// The variable is set here, because client-go reads a feature gate when it first uses it.
	check(os.Setenv("KUBE_FEATURE_WatchListClient", strconv.FormatBool(*isStream)))
	figures, err := measure(*url, *pods, *events, *isProtobuf)
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(figures))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func encode(kind string, in io.Reader, out io.Writer) error {
	writer := bufio.NewWriterSize(out, 1<<20)
	decoder := json.NewDecoder(bufio.NewReaderSize(in, 1<<20))
	serializer := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	if kind == "list" {
		var list corev1.PodList
		if err := decoder.Decode(&list); err != nil {
			return err
		}
		if err := serializer.Encode(&list, writer); err != nil {
			return err
		}
		return writer.Flush()
	}
	frames := protobuf.LengthDelimitedFramer.NewFrameWriter(writer)
	raw := protobuf.NewRawSerializer(scheme.Scheme, scheme.Scheme)
	encoder := restclientwatch.NewEncoder(streaming.NewEncoder(frames, raw), serializer)
	for {
		var event struct {
			Type   watch.EventType
			Object corev1.Pod
		}
		if err := decoder.Decode(&event); errors.Is(err, io.EOF) {
			return writer.Flush()
		} else if err != nil {
			return err
		}
		if err := encoder.Encode(&watch.Event{Type: event.Type, Object: &event.Object}); err != nil {
			return err
		}
	}
}

// A moment: milliseconds of elapsed time, and of processor time of this process.
type moment struct{ wall, processor float64 }

var began = time.Now()

func now() moment {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	processor := float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
	return moment{float64(time.Since(began).Nanoseconds()) / 1e6, processor}
}

// Returns the bytes of live objects. Several collections also empty the pools.
func heapInUse() float64 {
	for range 4 {
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}

// Returns the peak memory of this process, in MB.
func peakMemory() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Maxrss) / 1024
}

func measure(url string, pods, events int, isProtobuf bool) (map[string]float64, error) {
	config := &rest.Config{Host: url, QPS: -1}
	config.ContentType = "application/json"
	if isProtobuf {
		config.ContentType, config.AcceptContentTypes = protobufType, protobufType+",application/json"
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}

	heapBefore := heapInUse()
	start := now()
	informer := coreinformers.NewPodInformer(client, metav1.NamespaceAll, 0, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		"node":               func(object any) ([]string, error) { return []string{object.(*corev1.Pod).Spec.NodeName}, nil },
		"app":                func(object any) ([]string, error) { return []string{object.(*corev1.Pod).Labels["app"]}, nil },
	})
	err = informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) { check(err) })
	if err != nil {
		return nil, err
	}
	// One goroutine calls both functions, so they need no lock.
	added, updated := 0, 0
	allAdded, allUpdated := make(chan struct{}), make(chan moment, 1)
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			if added++; added == pods {
				close(allAdded)
			}
		},
		UpdateFunc: func(_, _ any) {
			if updated++; updated == events {
				allUpdated <- now()
			}
		},
	})
	if err != nil {
		return nil, err
	}
	go informer.RunWithContext(context.Background())
	<-informer.HasSyncedChecker().Done()
	synced := now()
	<-allAdded
	peak := peakMemory()
	heap := heapInUse() - heapBefore

	begin := now()
	if err := letServerStart(url); err != nil {
		return nil, err
	}
	end := <-allUpdated
	return map[string]float64{
		"sync":         synced.wall - start.wall,
		"processor":    synced.processor - start.processor,
		"peak":         peak,
		"heap":         heap / float64(pods),
		"events":       float64(events) / (end.wall - begin.wall) * 1000,
		"perProcessor": float64(events) / (end.processor - begin.processor) * 1000,
	}, checkContents(informer, pods)
}

// Tells the server that the client is ready for the events of its watch.
func letServerStart(url string) error {
	response, err := http.Post(url+"/bench/start", "text/plain", strings.NewReader(""))
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// Checks that the informer contains all pods, and that its indexes find them.
func checkContents(informer cache.SharedIndexInformer, pods int) error {
	if count := len(informer.GetStore().ListKeys()); count != pods {
		return fmt.Errorf("%d of %d pods are in the store", count, pods)
	}
	for index, value := range map[string]string{cache.NamespaceIndex: "namespace-0", "node": "node-0", "app": "app-0"} {
		found, err := informer.GetIndexer().ByIndex(index, value)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("the index %s has no %s", index, value)
		}
	}
	return nil
}
